-- The list of all rolls of an organization.

-- Finds the rolls of a stage among its secrets.
create index variables_rolls on variables (stage_id) where kind = 'ab_roll';

-- The sums of roll_counts by UTC day: a list of rolls would otherwise read 720 rows of each for 30 days.
create table roll_days (
  stage_id text not null references stages (id),
  name text not null,
  day_ms bigint not null, -- when it began
  a bigint not null,
  b bigint not null,
  primary key (stage_id, name, day_ms)
);
create index roll_days_by_day on roll_days (day_ms);
insert into roll_days (stage_id, name, day_ms, a, b)
  select stage_id, name, hour_ms - hour_ms % 86400000, sum(a), sum(b) from roll_counts
  group by stage_id, name, hour_ms - hour_ms % 86400000;
