create table if not exists stock (
  item varchar(40) primary key,
  pieces int not null,
  available int not null,
  reserved int not null,
  sold int not null,
  token bigint not null -- the greatest of the lock's fencing tokens that was here
);
insert ignore into stock values ('phone', 30, 30, 0, 0, 0);
-- No unique key: two parcels for one order would be seen.
create table if not exists parcel (id bigint auto_increment primary key, order_id bigint not null);
