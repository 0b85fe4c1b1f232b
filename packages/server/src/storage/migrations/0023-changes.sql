-- Proposed changes of stages: docs/change.md.

-- What a protected stage requires of changes, as JSON (contract/src/rules/protection.ts); null: nothing.
alter table stages add column protection text;

create table changes (
  id text primary key,
  org_id text not null references organizations (id),
  stage_id text not null references stages (id),
  project_slug text not null,
  stage_slug text not null,
  state text not null, -- contract/src/rules/changes.ts
  reason text not null,
  content text not null, -- JSON: what it does, without values (variables/proposed.ts)
  digest text not null, -- of everything that it proposes
  base_revision bigint not null, -- the revision of the stage on which it is based
  apply_at_ms bigint, -- null: when someone applies it
  zone text, -- the time zone in which people planned its times
  authors text not null, -- JSON: ids of the proposer and, of a service token, its creator
  proposed_by text not null, -- the user's id at the OpenID provider, or the id of a service token or a trust
  proposed_with text not null, -- the client, as the audit log names it
  proposed_at_ms bigint not null,
  updated_at_ms bigint not null,
  settled_by text,
  settled_at_ms bigint,
  applied_revision bigint,
  problem text -- why it could not be applied at its time
);
create index changes_org on changes (org_id, proposed_at_ms);
create index changes_stage on changes (stage_id, state);

-- The values that a change proposes. They are deleted when it settles.
create table change_values (
  change_id text not null references changes (id),
  name text not null,
  stage_id text not null references stages (id),
  kind text not null,
  sealed bytea not null,
  primary key (change_id, name)
);
create index change_values_stage on change_values (stage_id);
create index change_values_by_key on change_values (substr(sealed, 7, 16));

create table change_reviews (
  change_id text not null references changes (id),
  reviewer text not null, -- the user's id at the OpenID provider
  digest text not null, -- of what was reviewed
  verdict text not null, -- approve or reject
  comment text,
  reviewed_at_ms bigint not null,
  primary key (change_id, reviewer, digest)
);
