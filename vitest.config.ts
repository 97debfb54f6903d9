import { defineConfig } from 'vitest/config'

// One configuration for every package: tests run on the sources, without a build.
export default defineConfig({
  root: process.cwd(),
  ssr: { resolve: { conditions: ['@cloister/source', 'node', 'import', 'module', 'default'] } },
  test: {
    projects: [
      {
        extends: true,
        test: {
          // Files share a process and its loaded modules: loading modules again for each file took a third of all
          // tests' time.
          isolate: false,
          include: ['test/**/*.test.ts'],
          exclude: ['test/**/*.isolated.test.ts'],
        },
      },
      // Files that replace a module of Node's.
      { extends: true, test: { name: 'isolated', include: ['test/**/*.isolated.test.ts'] } },
    ],
    setupFiles: [new URL('vitest.seed.ts', import.meta.url).pathname],
    passWithNoTests: false,
    // The command line's tests take longest and run last.
    maxWorkers: '100%',
    // Limits for tests that hang: on a busy machine a test may take twenty times as long as on a quiet machine.
    testTimeout: 600_000,
    hookTimeout: 600_000,
    expect: { poll: { timeout: 600_000 } },
    // The launcher adds up the JSON reports over all packages.
    reporters: ['default', ['json', { outputFile: 'test-results.json' }]],
  },
})
