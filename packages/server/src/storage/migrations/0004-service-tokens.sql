-- Service tokens: docs/decisions/0011-service-tokens.md. Each is a session that nobody refreshes, with one access token; the
-- session's user_id is its own id, so that what the token writes is written by it.
create table service_tokens (
  session_id text primary key references sessions (id),
  name text not null,
  project_slug text, -- the only project that it reaches
  stage_slug text, -- the only stage
  read_only bigint not null, -- 0 or 1
  created_by text not null -- the user's id at the OpenID provider, or operator
);
