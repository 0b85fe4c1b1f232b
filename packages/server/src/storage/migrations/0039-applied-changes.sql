-- Which change made a revision, for the history.
create index changes_applied on changes (stage_id, applied_revision) where applied_revision is not null;
