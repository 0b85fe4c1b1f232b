-- Webhooks (decision 62). Each reads the audit log of its organization from its position on, so that a write costs nothing more.
create table hooks (
  id text primary key,
  org_id text not null,
  name text not null,
  format text not null,
  target text not null, -- scheme, host and port of the URL
  url bytea not null, -- sealed, since its path may be a secret
  events text not null, -- filters, JSON
  project_slug text,
  stage_slug text,
  secrets bigint not null, -- how many signing secrets it has had, which derive from its id and their number
  former_until_ms bigint not null, -- until when the secret before the current one signs too
  created_by text not null,
  created_at_ms bigint not null,
  position bigint not null, -- the last entry of the audit log that was settled
  next_attempt_at_ms bigint not null, -- when it may be sent to; a lease moves it
  attempts bigint not null, -- deliveries that failed, one after the other
  failing_since_ms bigint,
  failure text,
  off_since_ms bigint
);
create index hooks_of_organization on hooks (org_id);

-- The last messages of each webhook.
create table hook_deliveries (
  hook_id text not null,
  event_id text not null,
  type text not null,
  at_ms bigint not null,
  attempts bigint not null,
  status bigint,
  duration_ms bigint not null,
  failure text,
  primary key (hook_id, event_id)
);
create index hook_deliveries_by_time on hook_deliveries (hook_id, at_ms);
