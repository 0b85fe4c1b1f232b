-- Types are text, bigint, double precision and bytea only; every time is Unix milliseconds.
-- The application makes the ids, which never change. Slugs never change either; names are for people and may change.

create table organizations (
  id text primary key,
  idp_org_id text not null unique, -- the organization's id at the OpenID provider
  slug text not null,
  name text not null,
  created_at_ms bigint not null
);

create table projects (
  id text primary key,
  org_id text not null references organizations (id),
  slug text not null,
  name text not null,
  created_at_ms bigint not null,
  created_by text not null,
  unique (org_id, slug)
);

create table stages (
  id text primary key,
  project_id text not null references projects (id),
  slug text not null,
  name text not null,
  revision bigint not null,
  created_at_ms bigint not null,
  created_by text not null,
  unique (project_id, slug)
);

-- Data keys, wrapped by the master key. project_id is null for the key of the installation.
create table data_keys (
  id text primary key,
  project_id text references projects (id),
  kms text not null, -- which KMS wrapped it
  wrapped bytea not null,
  created_at_ms bigint not null
);
create index data_keys_by_project on data_keys (project_id);
create unique index data_keys_one_installation on data_keys ((1)) where project_id is null;

-- The current variables. facets: attributes as JSON, visible without the value (a roll's chance). sealed: the sealed values of
-- all roles.
create table variables (
  stage_id text not null references stages (id),
  name text not null,
  kind text not null,
  declared_type text,
  facets text not null,
  sealed bytea not null,
  created_at_ms bigint not null,
  updated_at_ms bigint not null,
  updated_by text not null,
  primary key (stage_id, name)
);

-- The history: the state that each revision gave to each variable that it changed. sealed is null for a deletion.
create table variable_history (
  stage_id text not null references stages (id),
  name text not null,
  revision bigint not null,
  kind text,
  declared_type text,
  facets text,
  sealed bytea,
  written_at_ms bigint not null,
  written_by text not null,
  primary key (stage_id, name, revision)
);
create index variable_history_by_time on variable_history (written_at_ms);

-- Usage per organization, project, stage and UTC day. The ids are empty for a pull of a stage that does not exist.
create table usage_days (
  org_id text not null references organizations (id),
  project_id text not null,
  stage_id text not null,
  day text not null,
  evaluations bigint not null,
  primary key (org_id, day, project_id, stage_id)
);

-- The counters that are compared with limits: ('evaluations', '2026-11'), ('storage', '') in bytes.
create table meters (
  org_id text not null references organizations (id),
  meter text not null,
  period text not null,
  used bigint not null,
  primary key (org_id, meter, period)
);

-- Billing events that are already counted, by the hash of their request key.
create table request_keys (
  org_id text not null references organizations (id),
  key_hash text not null,
  expires_at_ms bigint not null,
  primary key (org_id, key_hash)
);
create index request_keys_by_expiry on request_keys (expires_at_ms);

-- Tokens and codes are kept as hashes only.
create table sessions (
  id text primary key,
  org_id text not null references organizations (id),
  user_id text not null, -- the user's id at the OpenID provider
  client_name text,
  created_at_ms bigint not null,
  last_used_at_ms bigint not null,
  member_seen_at_ms bigint not null, -- when the provider last said that the user is a member
  revoked_at_ms bigint,
  revoked_because text
);
create index sessions_by_user on sessions (org_id, user_id);

create table access_tokens (
  hash text primary key,
  session_id text not null references sessions (id),
  expires_at_ms bigint not null
);
create index access_tokens_by_expiry on access_tokens (expires_at_ms);
create index access_tokens_by_session on access_tokens (session_id);

create table refresh_tokens (
  hash text primary key,
  session_id text not null references sessions (id),
  expires_at_ms bigint not null,
  used_at_ms bigint
);
create index refresh_tokens_by_expiry on refresh_tokens (expires_at_ms);
create index refresh_tokens_by_session on refresh_tokens (session_id);

create table device_codes (
  id text primary key,
  device_code_hash text not null unique,
  user_code_hash text not null,
  status text not null, -- pending, approved, exchanged, denied
  client_name text,
  created_at_ms bigint not null,
  expires_at_ms bigint not null,
  approved_at_ms bigint,
  approved_by text,
  org_id text references organizations (id),
  session_id text references sessions (id)
);
create unique index device_codes_pending on device_codes (user_code_hash) where status = 'pending';
create index device_codes_by_user_code on device_codes (user_code_hash);
create index device_codes_by_expiry on device_codes (expires_at_ms);

-- The times of a user's latest wrong user codes, as JSON.
create table wrong_user_codes (
  user_id text primary key,
  times text not null,
  updated_at_ms bigint not null
);
