-- The callers of the evaluations in usage_days. caller and how are empty for events that an older version counted in its last
-- second.
create table usage_callers (
  org_id text not null references organizations (id),
  day text not null, -- UTC
  caller text not null, -- the user's id at the OpenID provider, or the id of a service token
  how text not null, -- provider, session, service
  project_id text not null, -- this and the next are empty for a pull of a stage that does not exist
  stage_id text not null,
  evaluations bigint not null,
  primary key (org_id, day, caller, how, project_id, stage_id)
);
create index usage_callers_by_day on usage_callers (day);
