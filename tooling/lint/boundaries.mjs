/**
 * Folder of each library package below packages/, and the packages that its sources may import by main entries. This is
 * the only table of allowed imports.
 */
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
  // No policy or router: both are values of parameters.
  kernel: ['topology', 'placement', 'eventlog', 'workload (types)'],
  run: ['topology', 'workload', 'trace-io', 'communication', 'placement', 'routing', 'network', 'eventlog', 'kernel'],
  replay: ['topology', 'communication', 'placement', 'eventlog', 'kernel', 'workload (types)'],
  // The auditor shares no code with the simulator, or the auditor would repeat the simulator's mistakes.
  audit: ['topology', 'eventlog'],
}

/** Apps that an app may import; every app may import all libraries. The command line mounts other apps. */
export const appsMayImport = {
  cli: ['viewer', 'reproduce', 'controller', 'sweep-postgres (types)'],
  viewer: [],
  reproduce: [],
  controller: [],
  'create-cloister-policy': [],
  'sweep-postgres': [],
  site: ['viewer'],
}

/**
 * Packages below all others. Their tests may import only the packages allowed for sources; other tests may import any
 * package.
 */
export const foundations = ['topology', 'placement', 'eventlog']

/** Entries besides the main entries, for apps and tests. */
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

/** Library sources for Node alone; all other sources run in a browser too. */
export const nodeOnly = [
  'packages/eventlog/src/node/**',
  'packages/placement/src/testing.ts',
  'packages/placement/src/checks/**',
  'packages/run/src/node/**',
  'packages/trace-io/src/node/**',
]

/** Apps with a main entry that runs in a browser too, to show reports of papers. */
export const appsInBrowser = ['reproduce']

/** Libraries with a main entry that runs in a browser. */
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
