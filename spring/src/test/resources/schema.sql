create table stock (item varchar(20) primary key, pieces int not null);
create table orders (id bigint primary key, item varchar(20) not null, token bigint not null);
create table report (orders bigint not null);
insert into stock values ('chair', 100);
insert into report values (0);
