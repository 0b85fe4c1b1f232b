-- Indexes for statements that would otherwise read more rows the longer an installation is used.

-- The entries about who may do what.
create index audit_access on audit (org_id, at_ms)
  where action in ('access.grant', 'access.revoke', 'group.join', 'group.leave', 'role.set', 'role.delete', 'stage.protect',
    'organization.update', 'trust.create', 'trust.update', 'trust.delete');
-- Expired sessions. A session of each exchanged token stays for weeks.
create index sessions_by_creation on sessions (created_at_ms);
-- The sessions of an organization, a page at a time.
create index sessions_by_id on sessions (org_id, id);
-- The sessions of service tokens and client keys, without those of people and of exchanged tokens.
create index sessions_of_machines on sessions (org_id) where user_id = id;
-- Proposed values of a name.
create index change_values_by_name on change_values (stage_id, name);
