-- What projects expect of their variables: docs/declarations.md.
create table declarations (
  project_id text not null references projects (id),
  name text not null,
  content text not null, -- JSON of a declaration, without its name
  updated_at_ms bigint not null,
  updated_by text not null, -- the id of the user, the service token or the trust
  primary key (project_id, name)
);
-- Counts changes of the declarations of a project, so that a write notices that those it was compared with are former ones.
alter table projects add column declarations_version bigint not null default 0;
