create table if not exists orders (
  id bigint primary key,
  owner varchar(40) not null,
  item varchar(40) not null,
  amount bigint not null,
  status varchar(10) not null
);
