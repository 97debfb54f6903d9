/** What `export --to` writes. `opensm` is of one moment, the others of a whole run. */
export const exportFormats = ['html', 'chrome', 'batsim', 'swf', 'sacct', 'paje', 'csv', 'parquet', 'opensm'] as const
