-- The entries of the audit log that describe a revision: the latest revisions of an organization, over all its stages.
create index audit_revisions on audit (org_id, seq)
  where action in ('write', 'variable.create', 'variable.update', 'variable.delete', 'chance', 'copy', 'restore');
