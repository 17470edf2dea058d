create table account (name varchar(20) primary key, balance bigint not null);
insert into account values ('a', 0);
create table parcel (id bigint primary key);
