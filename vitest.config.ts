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
          // Files share a process, and with it what they import: to import again for each file took a third of all tests' time.
          isolate: false,
          include: ['test/**/*.test.ts'],
          exclude: ['test/**/*.isolated.test.ts'],
        },
      },
      // They put something else in the place of a module of Node's.
      { extends: true, test: { name: 'isolated', include: ['test/**/*.isolated.test.ts'] } },
    ],
    setupFiles: [new URL('vitest.seed.ts', import.meta.url).pathname],
    passWithNoTests: false,
    // The command line's tests take longest, and are the last to run.
    maxWorkers: '100%',
    // For what hangs: on a busy machine a test may take twenty times as long as on a quiet one.
    testTimeout: 600_000,
    hookTimeout: 600_000,
    expect: { poll: { timeout: 600_000 } },
    // The launcher adds up the second one over all packages.
    reporters: ['default', ['json', { outputFile: 'test-results.json' }]],
  },
})
