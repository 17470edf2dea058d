-- tag::schema[]
create table if not exists stock (item varchar(20) primary key, pieces int not null);
create table if not exists orders (id bigint primary key, item varchar(20) not null);
insert into stock select 'chair', 2 where not exists (select 1 from stock);
-- end::schema[]
