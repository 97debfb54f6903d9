/** Folder of each library below packages/, and the libraries whose main entries its sources may import. */
export const mayImport = {
  topology: [],
  workload: [],
  placement: ['topology'],
  communication: ['topology', 'placement'],
  ordering: ['placement'],
  orders: ['ordering'],
  'file-lease': [],
  eventlog: ['topology', 'file-lease'],
  isolation: ['topology', 'placement'],
  'policies/*': ['topology', 'placement', 'communication', 'isolation'],
  network: ['topology', 'placement'],
  routers: ['topology', 'placement', 'network'],
  'trace-io': ['topology', 'workload'],
  slurm: ['topology', 'workload', 'trace-io', 'eventlog'],
  metrics: ['topology', 'eventlog'],
  exports: ['topology', 'eventlog', 'metrics'],
  figures: ['topology', 'metrics (types)'],
  // The kernel imports no policy and no router: its parameters have policies and routers as values. The built-in orders
  // belong to the kernel, because a log has only the name of its order.
  kernel: ['topology', 'placement', 'ordering', 'orders', 'eventlog', 'workload (types)'],
  run: [
    'topology',
    'workload',
    'trace-io',
    'communication',
    'placement',
    'network',
    'routers',
    'ordering',
    'orders',
    'eventlog',
    'kernel',
  ],
  replay: ['topology', 'communication', 'placement', 'ordering', 'eventlog', 'kernel', 'workload (types)'],
  // The auditor shares no code with the simulator, because shared code would repeat the simulator's mistakes.
  audit: ['topology', 'eventlog'],
  evidence: ['topology', 'network', 'eventlog', 'kernel', 'run', 'replay', 'audit'],
  fuzz: [
    'topology',
    'workload',
    'trace-io',
    'placement',
    'network',
    'eventlog',
    'metrics',
    'run',
    'replay',
    'audit',
    'evidence',
  ],
  cluster: [
    'topology',
    'workload',
    'trace-io',
    'slurm',
    'placement',
    'network',
    'ordering',
    'eventlog',
    'file-lease',
    'kernel',
    'run',
    'replay',
  ],
  sweep: ['workload', 'trace-io', 'ordering', 'orders', 'eventlog', 'file-lease', 'run', 'metrics', 'evidence'],
}

/** Apps that an app may import; every app may import all libraries. */
export const appsMayImport = {
  cli: ['viewer', 'reproduce', 'sweep-postgres (types)'],
  viewer: [],
  reproduce: [],
  'create-cloister-policy': [],
  'sweep-postgres': [],
  site: ['viewer', 'reproduce'],
}

/** Libraries whose tests are bound by `mayImport` like the sources; tests of all further libraries are free. */
export const foundations = ['topology', 'placement', 'eventlog']

/** Entries that apps and tests may import besides the main entry of each package. */
export const furtherEntries = [
  'build/third-party',
  'eventlog/node',
  'kernel/random-runs',
  'lint/bundles',
  'ordering/checks',
  'ordering/testing',
  'placement/checks',
  'placement/testing',
  'reproduce/node',
  'run/node',
  'sweep/interval',
  'trace-io/node',
  'viewer/build',
  'viewer/server',
]

/** Libraries of programs under Node: their sources may use modules of Node, and clocks to measure times. */
export const ofPrograms = ['cluster', 'file-lease', 'fuzz', 'sweep']

/** Library sources that may use modules of Node; the remaining sources of libraries also run in a browser. */
export const nodeOnly = [
  'packages/eventlog/src/node/**',
  'packages/ordering/src/checks.ts',
  'packages/ordering/src/checks/**',
  'packages/ordering/src/testing.ts',
  'packages/placement/src/testing.ts',
  'packages/placement/src/checks/**',
  'packages/run/src/node/**',
  'packages/trace-io/src/node/**',
  ...ofPrograms.map((name) => `packages/${name}/src/**`),
]

/** Apps whose main entry must bundle for a browser: a web page can show the reports of `reproduce`. */
export const appsInBrowser = ['reproduce']

/** Libraries whose main entry must bundle for a browser: all libraries except `ofPrograms`. */
export const inBrowser = [
  'topology',
  'workload',
  'trace-io',
  'slurm',
  'placement',
  'ordering',
  'orders',
  'eventlog',
  'kernel',
  'run',
  'replay',
  'metrics',
  'audit',
  'evidence',
  'isolation',
  'policies/*',
  'communication',
  'network',
  'routers',
  'exports',
  'figures',
]
