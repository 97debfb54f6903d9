import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { TraceNotFoundError, findTrace, publicLog } from '@cloister/trace-io'
import type { PaperTrace } from './jigsaw-paper.ts'
import type { LocatedTrace } from './reproduction.ts'

/** How to name a trace of the paper to the simulator, or why that cannot be: what is missing, and where it would be looked for. */
export function locateTrace({ source, arrivals }: Pick<PaperTrace, 'source' | 'arrivals'>, traceDir: string | undefined): LocatedTrace | { readonly missing: string } {
  if (!('file' in source)) {
    const log = publicLog('trace' in source ? source.trace : source.log)
    try {
      const path = log === undefined ? undefined : findTrace(log, traceDir === undefined ? [] : [traceDir]).path
      // A preset brings its own filter; its file does not.
      return 'trace' in source ? { trace: source.trace, arrivals } : { trace: path ?? source.log, filter: source.filter, arrivals }
    } catch (error) {
      if (error instanceof TraceNotFoundError) return { missing: error.message }
      throw error
    }
  }
  const paths = traceDir === undefined ? [] : ['', '.gz', '.zst'].map((ending) => join(traceDir, `${source.file}${ending}`))
  const path = paths.find((each) => existsSync(each))
  if (path !== undefined) return { trace: path, filter: source.filter, arrivals }
  return { missing: `there is no ${source.file} in ${traceDir ?? 'any folder: --trace-dir, or CLOISTER_TRACE_DIR, names one'}; it would be the job log of that month as CSV (Cab 2014, doi 10.5281/zenodo.3908771)` }
}
