-- The last day on which a value of a variable was served, so that what nothing uses any more can be found.
create table last_evaluations (
  stage_id text not null references stages (id),
  name text not null,
  day text not null, -- YYYY-MM-DD, UTC
  primary key (stage_id, name)
);
create index last_evaluations_day on last_evaluations (day);
