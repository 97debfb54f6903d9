import { fileURLToPath } from 'node:url'
import { defineConfig } from 'vitest/config'

// Configuration of the tests of every package. Tests run on the sources of packages, without a build.
export default defineConfig({
  root: process.cwd(),
  ssr: { resolve: { conditions: ['@cloister/source', 'node', 'import', 'module', 'default'] } },
  test: {
    projects: [
      {
        extends: true,
        test: {
          // Test files share loaded modules: loading modules again for each file took a third of the tests' time.
          isolate: false,
          include: ['test/**/*.test.ts'],
          exclude: ['test/**/*.isolated.test.ts'],
        },
      },
      // Test files that replace a module of Node run isolated from each other.
      { extends: true, test: { name: 'isolated', include: ['test/**/*.isolated.test.ts'] } },
    ],
    setupFiles: [fileURLToPath(new URL('vitest.seed.ts', import.meta.url))],
    passWithNoTests: false,
    // The command line's tests take longest and run last.
    maxWorkers: '100%',
    // Time limits only for tests that hang: on a busy machine a test may take twenty times as long as on a quiet one.
    testTimeout: 600_000,
    hookTimeout: 600_000,
    expect: { poll: { timeout: 600_000 } },
    // tooling/launch adds up the JSON reports of all packages.
    reporters: ['default', ['json', { outputFile: 'test-results.json' }]],
  },
})
