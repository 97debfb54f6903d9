import { patternNames, patternParts } from '@cloister/communication'
import { drawCommunication } from '@cloister/workload'
import type { Job } from '@cloister/workload'
import { OptionError } from './errors.ts'

/**
 * Communication of the jobs. `drawn`: `jobs` of all jobs communicate, each for `share` of its run time; both numbers
 * are in 1/1000. `file`: the trace names the communicating jobs and their shares, and the option gives the pattern.
 */
export type Communication =
  | { readonly kind: 'drawn'; readonly jobs: number; readonly pattern: string; readonly share: number }
  | { readonly kind: 'file'; readonly pattern: string }

/** Accepted forms of the option `communication`, for help and errors. */
export const communicationForms = `none; JOBS%:PATTERN:TIME%, such as 90%:recursive-doubling:50%; or file:PATTERN for the shares in the trace. Patterns: ${patternNames.join(', ')}, and mixtures such as recursive-doubling*3+binomial-tree*7`

/** Former names for the job sets of Mishra et al. The error for a former name shows the present form. */
const formerSets: ReadonlyMap<string, string> = new Map([
  ['mishra-a', '90%:recursive-halving-vector-doubling:33%'],
  ['mishra-b', '90%:recursive-halving-vector-doubling:50%'],
  ['mishra-c', '90%:recursive-halving-vector-doubling:70%'],
  ['mishra-d', '90%:recursive-doubling*15+binomial-tree*35:50%'],
  ['mishra-e', '90%:recursive-doubling*21+binomial-tree*49:70%'],
])

/** Returns the meaning of the option `communication`; undefined for `none`. @throws OptionError for any other form */
export function parseCommunication(text: string): Communication | undefined {
  if (text === 'none') return undefined
  const [first, pattern, last, ...rest] = text.split(':')
  const [jobs, share] = [first, last].map(permille)
  if (rest.length === 0 && pattern !== undefined && patternParts(pattern) !== undefined) {
    if (first === 'file' && last === undefined) return { kind: 'file', pattern }
    if (jobs !== undefined && share !== undefined) return { kind: 'drawn', jobs, pattern, share }
  }
  throw new OptionError({
    option: 'communication',
    reason: `found ${JSON.stringify(text)}, expected ${formerSets.get(text) ?? communicationForms}`,
  })
}

/** Returns the canonical spelling of a communication; `none` for undefined. */
export function formatCommunication(communication: Communication | undefined): string {
  if (communication === undefined) return 'none'
  const { pattern } = communication
  return communication.kind === 'file'
    ? `file:${pattern}`
    : `${communication.jobs / 10}%:${pattern}:${communication.share / 10}%`
}

/** Returns jobs with drawn communication (`drawn`), another pattern (`file`), or no communication (undefined). */
export function withCommunication(
  jobs: ReadonlyArray<Job>,
  communication: Communication | undefined,
  seed: number,
): ReadonlyArray<Job> {
  if (communication?.kind === 'drawn') return drawCommunication(jobs, communication, seed)
  return jobs.map((job) => {
    if (job.communication === undefined) return job
    const { communication: own, ...rest } = job
    return communication === undefined ? rest : { ...rest, communication: { ...own, pattern: communication.pattern } }
  })
}

function permille(text: string | undefined): number | undefined {
  const [, whole, decimal = '0'] = /^(\d{1,3})(?:\.(\d))?%$/.exec(text ?? '') ?? []
  const value = Number(whole) * 10 + Number(decimal)
  return whole === undefined || value > 1000 ? undefined : value
}
