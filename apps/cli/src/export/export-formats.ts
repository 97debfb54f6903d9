/** Formats of `cloister export --to`. `opensm` is the machine at one moment; the other formats are a whole run. */
export const exportFormats = ['html', 'chrome', 'batsim', 'swf', 'sacct', 'paje', 'csv', 'parquet', 'opensm'] as const
