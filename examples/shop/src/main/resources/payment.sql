create table if not exists wallet (
  owner varchar(40) primary key,
  deposit bigint not null,
  available bigint not null,
  frozen bigint not null,
  spent bigint not null
);
-- Every other user can pay for five phones, the others for three.
insert into wallet select 'user-' || n, 270 + 180 * (n % 2), 270 + 180 * (n % 2), 0, 0 from generate_series(1, 20) n on conflict do nothing;
