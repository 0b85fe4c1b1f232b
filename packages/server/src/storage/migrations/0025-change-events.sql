-- Counts the moves, edits and reviews of proposed changes of the stage, so that live events can say that there are some.
alter table stages add column changes_moved bigint not null default 0;
