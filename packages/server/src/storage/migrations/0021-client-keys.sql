-- Client keys: docs/client-keys.md. A key is a session without a person, whose access token does not expire. An earlier version, which
-- still runs during an upgrade, refuses its prefix.
create table client_keys (
  session_id text primary key references sessions (id),
  client_key text not null, -- in clear, because it is public by design
  name text not null,
  project_slug text not null,
  stage_slug text not null,
  origins text not null, -- JSON: ["https://app.example.com"]
  evaluations_per_month bigint, -- null: what the operator sets
  created_by text not null -- the user's id at the OpenID provider
);
