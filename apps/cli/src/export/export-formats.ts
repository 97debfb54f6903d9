/** Formats of `export --to`. `opensm` describes one moment; the other formats describe a whole run. */
export const exportFormats = ['html', 'chrome', 'batsim', 'swf', 'sacct', 'paje', 'csv', 'parquet', 'opensm'] as const
