-- What a revision did to a variable: created, updated, deleted or restored; null in rows from before this column.
alter table variable_history add column change text;
-- Display name of the client, such as: cli session laptop.
alter table variable_history add column client text;

-- The earliest revision of a stage whose state is completely known. Rows of earlier revisions were deleted. No row: all are
-- known.
create table history_floors (
  stage_id text primary key references stages (id),
  revision bigint not null
);
-- It is unknown which rows were deleted before this migration.
insert into history_floors (stage_id, revision) select id, revision from stages;

-- The last number of each organization's audit log. The transaction of an action takes its number, so the numbers have no gap.
create table audit_heads (
  org_id text primary key references organizations (id),
  seq bigint not null
);

-- The audit log. Rows are added and never changed, and contain no values.
create table audit (
  org_id text not null references organizations (id),
  seq bigint not null, -- 1, 2, 3 …
  at_ms bigint not null,
  actor text not null, -- the user's id at the OpenID provider, the id of a service token, or operator
  how text not null, -- provider, session, service, operator
  client text not null, -- for people
  action text not null,
  project_slug text,
  stage_slug text,
  names text, -- of variables, a line feed before, between and after them; null if there are none or very many
  name_count bigint,
  revision bigint, -- that it made, or that was looked at
  subject text, -- the id of what else it was done to
  request_id text,
  primary key (org_id, seq)
);

-- How often the values of a roll were served, by UTC hour. The last seconds may be missing.
create table roll_counts (
  stage_id text not null references stages (id),
  name text not null,
  hour_ms bigint not null, -- when it began
  a bigint not null,
  b bigint not null,
  primary key (stage_id, name, hour_ms)
);
create index roll_counts_by_hour on roll_counts (hour_ms);
