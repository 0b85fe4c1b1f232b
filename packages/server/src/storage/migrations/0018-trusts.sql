-- Trusts: docs/trusts.md. The tokens of other services that match one can be exchanged for access tokens.
create table trusts (
  id text primary key,
  org_id text not null references organizations (id),
  name text not null,
  issuer text not null,
  audience text not null,
  claims text not null, -- JSON: [{"name": …, "value": …}, …]
  project_slug text, -- the only project that its tokens reach
  stage_slug text, -- the only stage
  role text not null,
  history bigint not null, -- 0 or 1
  lifetime_sec bigint not null,
  forks bigint not null, -- 0 or 1
  jwks text, -- the public keys that were pasted, as a JSON Web Key Set; null: those that the issuer publishes
  version bigint not null, -- counts its changes
  created_by text not null, -- the user's id at the OpenID provider
  created_at_ms bigint not null,
  updated_at_ms bigint not null,
  last_used_at_ms bigint
);
create index trusts_org on trusts (org_id);

-- An exchanged token is a service token without a person who holds it: an earlier version, which still runs during an upgrade, thus
-- knows its place and its role.
alter table service_tokens add column trust_id text; -- no reference: a trust is deleted before the sessions that it ended
create index service_tokens_trust on service_tokens (trust_id) where trust_id is not null;
