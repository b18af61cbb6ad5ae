import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { chromium } from 'playwright-core'
import type { TestProject } from 'vitest/node'
import { buildForTests } from './browser/buildForTests.ts'
import { launchOptions } from './browser/launchOptions.ts'
import { fillExplorerIndex } from './fixture/fillExplorerIndex.ts'

declare module 'vitest' {
  interface ProvidedContext {
    /** Where the one browser of the run takes connections. */
    readonly browserEndpoint: string
    /** A build of the explorer. */
    readonly explorerBuild: string
    /** An index with the demo's content and odd records; nobody writes into it. */
    readonly explorerIndex: string
  }
}

/** Attestations of the demo's content: enough for every list to have several pages of 100. */
const attestations = 1_500

/** What all tests in a browser share: one browser, one build, one index. */
export async function setup(project: TestProject): Promise<() => Promise<void>> {
  const folder = mkdtempSync(join(tmpdir(), 'attestry-browser-'))
  const index = join(folder, 'index.db')
  const build = await buildForTests()
  await fillExplorerIndex(index, { attestations, odd: true })
  const browser = await chromium.launchServer(await launchOptions())
  project.provide('browserEndpoint', browser.wsEndpoint())
  project.provide('explorerBuild', build)
  project.provide('explorerIndex', index)
  return async () => {
    await browser.close()
    for (const path of [folder, build]) rmSync(path, { recursive: true, force: true })
  }
}
