-- Rotation of data keys: docs/decisions/0019-rotation-of-data-keys.md.

-- When the key stopped sealing. A project has one key that is not retired.
alter table data_keys add column retired_at_ms bigint;
create unique index data_keys_current on data_keys (project_id) where retired_at_ms is null;

-- To find what a key has sealed: the first sealed value contains the id of its key.
create index variables_by_key on variables (substr(sealed, 7, 16));
create index variable_history_by_key on variable_history (substr(sealed, 7, 16));
