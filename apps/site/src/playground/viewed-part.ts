// The part of two runs that the viewer shows first: so few jobs and nodes that a reader sees single jobs.

/** Number of jobs that the visible times should hold, and of visible nodes. */
const JOBS = 220
const NODES = 128

export interface Part {
  /** Visible times, in seconds. */
  readonly from: number
  readonly to: number
  /** Time of the cursor, in seconds. */
  readonly at: number
  /** Number of visible nodes, from node 0 on. */
  readonly nodes: number
}

/** Returns the part to show: around the time `of`, or in the middle of the run. */
export function partOf(jobs: number, nodes: number, makespan: number, of = makespan / 2): Part {
  const length = makespan * Math.min(1, JOBS / Math.max(1, jobs))
  const from = Math.round(Math.max(0, Math.min(of - length / 2, makespan - length)))
  return { from, to: Math.round(from + Math.max(1, length)), at: Math.round(of), nodes: Math.min(nodes, NODES) }
}

/** Returns a part as the fragment of the viewer's address, with low tracks below the jobs. */
export function addressOf({ from, to, at, nodes }: Part, theme: string): string {
  return `#${new URLSearchParams({ t: `${at}`, zoom: `${from},${to}`, rows: `0,${nodes}`, panes: 'tracks:18,time:66', theme })}`
}
