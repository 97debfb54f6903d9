import type { WhyLine } from '../../../run/questions.ts'

/** Waiting jobs that have not started for the same reason. */
export interface QueueGroup {
  readonly why: string
  readonly lines: ReadonlyArray<WhyLine>
  /** Number of nodes that the jobs request together. */
  readonly nodes: number
}

/** Groups waiting jobs by reason, in the order of their first jobs. Numbers and job ids in a reason do not count. */
export function queueGroups(lines: ReadonlyArray<WhyLine>): ReadonlyArray<QueueGroup> {
  const groups = new Map<string, Array<WhyLine>>()
  for (const line of lines) {
    const why = line.why
      .replace(/^needs \d[\d,]* nodes?, /, 'needs more: ')
      .replace(/would delay job .*, which/, 'would delay a job that')
      .replace(/ \(at [\d.]+ s\)$/, '')
      .replace(/^the policy gave up the search after .*/, 'the policy gave up the search')
    const group = groups.get(why)
    if (group === undefined) groups.set(why, [line])
    else group.push(line)
  }
  return Array.from(groups, ([why, members]) => ({
    why,
    lines: members,
    nodes: members.reduce((sum, { size }) => sum + size, 0),
  }))
}
