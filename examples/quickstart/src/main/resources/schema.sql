-- tag::schema[]
create table stock (item varchar(20) primary key, pieces int not null);
create table orders (id bigint primary key, item varchar(20) not null);
insert into stock values ('chair', 2);
-- end::schema[]
