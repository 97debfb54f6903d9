/** The folder of each library package below packages/, and whom its sources may import, by main entries. The one table of who may know whom. */
export const mayImport = {
  topology: [],
  workload: [],
  placement: ['topology'],
  communication: ['topology'],
  eventlog: ['topology'],
  'graph-partition': [],
  isolation: ['topology', 'placement'],
  'lowest-switch': ['topology', 'placement'],
  mapping: ['topology', 'placement', 'communication', 'graph-partition', 'lowest-switch'],
  'policies/*': ['topology', 'communication', 'placement', 'isolation', 'lowest-switch', 'mapping'],
  routing: ['topology', 'placement'],
  network: ['topology', 'placement', 'routing'],
  'trace-io': ['topology', 'workload'],
  slurm: ['topology', 'workload', 'trace-io', 'eventlog'],
  metrics: ['topology', 'eventlog'],
  exports: ['topology', 'eventlog', 'metrics'],
  // Never a concrete policy or router: those come in as values.
  kernel: ['topology', 'placement', 'eventlog', 'workload (types)'],
  run: ['topology', 'workload', 'trace-io', 'communication', 'placement', 'routing', 'network', 'eventlog', 'kernel'],
  replay: ['topology', 'communication', 'placement', 'eventlog', 'kernel', 'workload (types)'],
  // Shares no code with what it checks, or it would repeat its mistakes.
  audit: ['topology', 'eventlog'],
}

/** Which other apps an app may import; libraries all of them. The command line mounts the others. */
export const appsMayImport = {
  cli: ['viewer', 'reproduce', 'controller', 'sweep-postgres (types)'],
  viewer: [],
  reproduce: [],
  controller: [],
  'create-cloister-policy': [],
  'sweep-postgres': [],
  site: ['viewer'],
}

/** Everything else stands on these: their tests may import what their sources may. Other tests may import any package. */
export const foundations = ['topology', 'placement', 'eventlog']

/** Entries besides the main ones, for apps and tests. */
export const furtherEntries = [
  'build/third-party',
  'eventlog/node',
  'kernel/random-runs',
  'placement/checks',
  'placement/testing',
  'reproduce/node',
  'run/node',
  'trace-io/node',
  'viewer/build',
  'viewer/pictures',
]

/** Library sources that only Node runs: the others run in a browser too. */
export const nodeOnly = [
  'packages/eventlog/src/node/**',
  'packages/placement/src/testing.ts',
  'packages/placement/src/checks/**',
  'packages/run/src/node/**',
  'packages/trace-io/src/node/**',
]

/** The apps whose main entry runs in a browser too: reports of papers are shown there. */
export const appsInBrowser = ['reproduce']

/** The libraries whose main entry runs in a browser. */
export const inBrowser = [
  'topology',
  'workload',
  'trace-io',
  'slurm',
  'placement',
  'eventlog',
  'kernel',
  'run',
  'replay',
  'metrics',
  'audit',
  'isolation',
  'lowest-switch',
  'policies/*',
  'communication',
  'graph-partition',
  'mapping',
  'routing',
  'network',
  'exports',
]
