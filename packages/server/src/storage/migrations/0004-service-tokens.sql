-- Service tokens: docs/decisions/0011-service-tokens.md. Each is a session without a refresh token, with one access token. The
-- session's user_id is its own id, so the token is the author of its writes.
create table service_tokens (
  session_id text primary key references sessions (id),
  name text not null,
  project_slug text, -- the only project that it reaches
  stage_slug text, -- the only stage
  read_only bigint not null, -- 0 or 1
  created_by text not null -- the user's id at the OpenID provider, or operator
);
