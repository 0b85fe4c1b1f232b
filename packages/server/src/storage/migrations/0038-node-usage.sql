-- What several nodes over PostgreSQL count without waiting for each other: docs/decisions/0068-rows-of-nodes.md.
create table counting (
  id bigint primary key, -- 1. Locked by who changes the limit of nodes
  folded_at_ms bigint not null -- when a node last began to move node_usage to meters, usage_days and usage_callers
);
insert into counting (id, folded_at_ms) values (1, 0);
-- The nodes that may count. A node counts in a transaction that has locked its row.
create table counting_nodes (
  node text primary key,
  own_evaluations bigint, -- the limit of its plan. Null: no limit
  evaluations bigint, -- the limit that it must obey: the least of all. Null: none, so it counts in rows that only it writes
  seen_at_ms bigint not null
);
-- Usage that is not in meters, usage_days and usage_callers yet.
create table node_usage (
  org_id text not null references organizations (id),
  node text not null,
  day text not null, -- UTC
  caller text not null,
  how text not null,
  project_id text not null,
  stage_id text not null,
  evaluations bigint not null,
  primary key (org_id, node, day, caller, how, project_id, stage_id)
);
