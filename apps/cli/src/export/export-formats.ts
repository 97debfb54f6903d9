/** Formats of `cloister export --to`. `opensm` has the machine at one moment; every other format has a run. */
export const exportFormats = ['html', 'chrome', 'batsim', 'swf', 'sacct', 'paje', 'csv', 'parquet', 'opensm'] as const
