-- Rotation of data keys: docs/decisions/0019-rotation-of-data-keys.md.

-- From when on the key seals nothing any more. A project has one that is not retired.
alter table data_keys add column retired_at_ms bigint;
create unique index data_keys_current on data_keys (project_id) where retired_at_ms is null;

-- What a key has sealed: its id stands in the first of the sealed values.
create index variables_by_key on variables (substr(sealed, 7, 16));
create index variable_history_by_key on variable_history (substr(sealed, 7, 16));
