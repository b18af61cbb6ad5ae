import { execFileSync } from 'node:child_process'
import { copyFileSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'

const root = fileURLToPath(new URL('../..', import.meta.url))

/** Which folder may import what: the directions of docs/architecture.md. */
const imports: readonly [importer: string, specifier: string, allowed: boolean][] = [
  ['model/a.ts', './b.ts', true],
  ['model/a.ts', '../errors/baseError.ts', false],
  ['model/a.ts', 'node:fs', false],
  ['errors/a.ts', '../model/hex.ts', true],
  ['errors/a.ts', '../chain/chainClient.ts', false],
  ['protocols/sign/a.ts', '../../model/hex.ts', true],
  ['protocols/sign/a.ts', '../../chain/chainClient.ts', false],
  ['protocols/a.ts', 'node:fs/promises', false],
  ['proofs/a.ts', '../protocols/registry.ts', true],
  ['proofs/a.ts', '../chain/createBlockFetcher.ts', false],
  ['proofs/a.ts', 'node:fs', false],
  ['chain/a.ts', '../protocols/protocolAdapter.ts', true],
  ['chain/a.ts', '../protocols/registry.ts', false],
  ['chain/a.ts', '../store/indexReader.ts', false],
  ['store/sqlite/a.ts', '../indexWriter.ts', true],
  ['store/sqlite/a.ts', '../../protocols/registry.ts', false],
  ['store/sqlite/a.ts', '../../sync/backfill.ts', false],
  ['store/writing/a.ts', '../port/tables.ts', true],
  ['store/writing/a.ts', '../sqlite/connection.ts', false],
  ['store/writing/a.ts', '../postgres/connection.ts', false],
  ['store/writing/a.ts', '../../sync/backfill.ts', false],
  ['store/writing/a.ts', 'node:timers/promises', false],
  ['store/sqlite/a.ts', '../writing/openIndexWriter.ts', true],
  ['store/sqlite/a.ts', '../reading/openIndexReader.ts', true],
  ['store/reading/a.ts', '../port/reads.ts', true],
  ['store/reading/a.ts', '../sqlite/connection.ts', false],
  ['store/transfer/a.ts', '../../sync/backfill.ts', false],
  ['store/reading/a.ts', 'node:timers/promises', false],
  ['store/auditing/a.ts', '../postgres/connection.ts', false],
  ['sync/a.ts', '../protocols/protocolAdapter.ts', true],
  ['sync/a.ts', '../chain/chainClient.ts', true],
  ['sync/a.ts', '../chain/createChainClient.ts', false],
  ['sync/a.ts', '../store/indexWriter.ts', true],
  ['sync/a.ts', '../store/sqlite/openSqliteWriter.ts', false],
  ['sync/a.ts', '../cli/runCli.ts', false],
  ['http/answers/a.ts', '../../store/indexReader.ts', true],
  ['http/a.ts', '../faces/records/include.ts', false],
  ['http/a.ts', '../api/createServer.ts', false],
  ['http/a.ts', '../protocols/registry.ts', false],
  ['faces/gate/a.ts', '../../http/addEndpoint.ts', true],
  ['faces/gate/a.ts', '../../api/createServer.ts', false],
  ['faces/gate/a.ts', '../records/include.ts', true],
  ['faces/gate/a.ts', '../rest/findByIds.ts', false],
  ['faces/export/parquet/a.ts', '../../graphql/limits.ts', false],
  ['faces/verax/a.ts', '../graphql/createTotals.ts', true],
  ['faces/rest/a.ts', '../../store/indexReader.ts', true],
  ['store/a.ts', '../http/rowCursor.ts', false],
  ['faces/rest/a.ts', '../../store/indexWriter.ts', false],
  ['faces/rest/a.ts', '../../store/sqlite/openSqliteReader.ts', false],
  ['api/a.ts', '../sync/chainIndexer.ts', false],
  ['api/a.ts', '../chain/chainClient.ts', false],
  ['api/a.ts', '../proofs/checkProof.ts', false],
  ['chunks/a.ts', '../store/chainHistory.ts', true],
  ['chunks/a.ts', '../verify/compareEvents.ts', false],
  ['chunks/a.ts', '../chain/chainClient.ts', false],
  ['chunks/a.ts', '../places/openPlace.ts', true],
  ['places/a.ts', '../errors/placeErrors.ts', true],
  ['places/a.ts', '../chunks/manifest.ts', false],
  ['lake/a.ts', '../places/openPlace.ts', true],
  ['lake/a.ts', '../store/chainHistory.ts', true],
  ['lake/a.ts', '../chunks/manifest.ts', false],
  ['lake/a.ts', '../faces/export/exportedRows.ts', false],
  ['store/a.ts', '../lake/openTable.ts', false],
  ['hooks/a.ts', '../store/hookStore.ts', true],
  ['hooks/a.ts', '../changes/changeFilter.ts', true],
  ['hooks/a.ts', '../faces/records/presentSchema.ts', false],
  ['tracing/a.ts', '../model/traced.ts', true],
  ['tracing/a.ts', '../http/addEndpoint.ts', false],
  ['store/a.ts', '../tracing/startTracing.ts', false],
  ['changes/a.ts', '../store/indexQueries.ts', true],
  ['changes/a.ts', '../store/indexWriter.ts', false],
  ['changes/a.ts', '../errors/baseError.ts', true],
  ['changes/a.ts', '../api/createServer.ts', false],
  ['changes/a.ts', '../hooks/hookConfig.ts', false],
  ['api/a.ts', '../changes/commitHints.ts', true],
  ['store/a.ts', '../changes/changeFilter.ts', false],
  ['sync/a.ts', '../changes/commitHints.ts', false],
  ['hooks/a.ts', '../api/createServer.ts', false],
  ['hooks/a.ts', '../store/sqlite/openSqliteReader.ts', false],
  ['hooks/a.ts', '../protocols/registry.ts', false],
  ['api/a.ts', '../hooks/runHooks.ts', false],
  ['../demo/src/a.ts', '../../src/store/indexReader.ts', false],
  ['../demo/src/a.ts', '../../src/errors/baseError.ts', true],
  ['store/a.ts', '../../demo/src/runDemoChain.ts', false],
  ['cli/a.ts', '../../demo/src/runDemo.ts', false],
  ['cli/a.ts', '../sync/chainIndexer.ts', true],
  ['cli/a.ts', '../../test/harness/spawnAttestry.ts', false],
  ['sync/a.test.ts', '../../test/harness/localChain.ts', true],
]

test('an import against the direction of the layers is a lint error', () => {
  const folder = mkdtempSync(join(tmpdir(), 'attestry-lint-'))
  try {
    copyFileSync(join(root, '.oxlintrc.json'), join(folder, '.oxlintrc.json'))
    const files = imports.map(([importer, specifier], index) => {
      // Each import is a file of its own, so that each violation identifies its row of the table.
      const file = join('src', importer.replace(/(\.test)?\.ts$/, `${index}$1.ts`))
      mkdirSync(dirname(join(folder, file)), { recursive: true })
      writeFileSync(
        join(folder, file),
        `import type * as imported from '${specifier}'\nexport type It = typeof imported\n`,
      )
      return file
    })
    const refused = new Set(lint(folder))
    const found = imports.map(([importer, specifier], index) => [
      importer,
      specifier,
      !refused.has(files[index] ?? ''),
    ])
    expect(found).toEqual(imports)
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
})

/** The files that violate the rule, as paths relative to `folder`. */
function lint(folder: string): string[] {
  const oxlint = join(root, 'node_modules/oxlint/bin/oxlint')
  let report = ''
  try {
    report = execFileSync(process.execPath, [oxlint, '--format', 'unix'], { cwd: folder, encoding: 'utf8' })
  } catch (error) {
    // oxlint exits with 1 on violations and prints them on standard output.
    if (error instanceof Error && 'stdout' in error) report = String(error.stdout)
  }
  return [...report.matchAll(/^(\S+?):\d+:\d+: .*no-restricted-imports/gm)].map(([, file = '']) => file)
}
