import { defineConfig } from 'vitest/config'

/**
 * Five kinds of test. `unit` stands beside the code and needs nothing but this process; `whole` drives several parts together,
 * over simulated or real chains and child processes; `postgres` (`*.postgres.test.ts`) runs against a real PostgreSQL server that is
 * started once for all of them; `browser` opens the explorer in a real browser; `soak` (`*.soak.test.ts`) is `whole` for hours' worth of seeds, run on demand.
 */
export default defineConfig({
  test: {
    pool: 'forks',
    expect: { poll: { timeout: 30_000 } },
    projects: [
      {
        extends: true,
        test: {
          name: 'unit',
          include: ['src/**/*.test.ts', '{client,explorer}/{src,scripts}/**/*.test.ts'],
          exclude: [
            '**/*.whole.test.ts',
            '**/*.postgres.test.ts',
            '**/*.soak.test.ts',
            '**/*.browser.test.ts',
          ],
          testTimeout: 30_000,
          hookTimeout: 60_000,
          sequence: { groupOrder: 0 },
        },
      },
      {
        extends: true,
        test: {
          name: 'whole',
          include: ['test/**/*.test.ts', 'src/**/*.whole.test.ts'],
          exclude: ['**/*.postgres.test.ts', '**/*.soak.test.ts', 'test/explorer/**'],
          testTimeout: 120_000,
          hookTimeout: 180_000,
          sequence: { groupOrder: 1 },
        },
      },
      {
        extends: true,
        test: {
          name: 'postgres',
          include: ['src/**/*.postgres.test.ts', 'test/**/*.postgres.test.ts'],
          globalSetup: ['test/harness/postgresSetup.ts'],
          testTimeout: 120_000,
          hookTimeout: 60_000,
          sequence: { groupOrder: 1 },
        },
      },
      {
        extends: true,
        test: {
          name: 'browser',
          include: ['test/explorer/**/*.test.ts', 'client/src/**/*.browser.test.ts'],
          globalSetup: ['test/explorer/browserSetup.ts'],
          testTimeout: 180_000,
          hookTimeout: 120_000,
          sequence: { groupOrder: 2 },
        },
      },
      {
        extends: true,
        test: {
          name: 'soak',
          include: ['src/**/*.soak.test.ts', 'test/**/*.soak.test.ts'],
          globalSetup: ['test/harness/postgresSetup.ts'],
          testTimeout: 3_600_000,
          hookTimeout: 180_000,
          fileParallelism: false,
          sequence: { groupOrder: 3 },
        },
      },
    ],
  },
})
