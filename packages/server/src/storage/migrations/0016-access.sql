-- Who may do what: docs/access.md. A place is the organization (two empty slugs), a project (an empty stage_slug) or a stage.

-- The role of every member: developer, viewer or none. Before this column, every member could do what a developer can.
alter table organizations add column default_role text not null default 'developer';
-- Counts the changes of anything on this page, so that what a node has in memory can be compared.
alter table organizations add column access_revision bigint not null default 0;

-- Protected: read, write and approve come only from grants on the stage itself. 0 or 1.
alter table stages add column is_protected bigint not null default 0;
create index stages_protected on stages (project_id) where is_protected = 1;

-- The role of a service token at its place.
alter table service_tokens add column role text not null default 'developer';
update service_tokens set role = 'reader' where read_only = 1;

-- Counts the changes of a session that a node may have in memory: of its confirmation, and of when its tokens expire.
alter table sessions add column version bigint not null default 0;
-- When its person last confirmed it.
alter table sessions add column confirmed_at_ms bigint;

create table grants (
  org_id text not null references organizations (id),
  principal text not null, -- user:ID, group:ID, token:ID, or email:ADDRESS until that person joins
  project_slug text not null,
  stage_slug text not null,
  role text not null,
  expires_at_ms bigint,
  granted_at_ms bigint not null,
  granted_by text not null, -- the user's id at the OpenID provider
  primary key (org_id, principal, project_slug, stage_slug)
);

create table user_groups (
  id text primary key,
  org_id text not null references organizations (id),
  name text not null,
  created_at_ms bigint not null,
  unique (org_id, name)
);

create table group_members (
  group_id text not null references user_groups (id),
  member text not null, -- user:ID, or email:ADDRESS until that person joins
  added_at_ms bigint not null,
  added_by text not null,
  primary key (group_id, member)
);

-- The roles that an organization adds to the built-in ones.
create table roles (
  org_id text not null references organizations (id),
  name text not null,
  verbs text not null, -- with commas, in the order of the contract
  primary key (org_id, name)
);
