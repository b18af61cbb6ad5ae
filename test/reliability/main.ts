import { startPostgresServer, type PostgresServer } from '../harness/postgresServer.ts'
import { checkNames, scenarios, type Scenario, type Verdict } from './scenarios.ts'
import { createSubject } from './subject.ts'

/**
 * `npm run test:reliability`: tries each scenario three times over SQLite and PostgreSQL, prints for each check how often
 * it held and what was measured, and exits with 1 if one failed. With checks as arguments, only their scenarios are
 * tried. RELIABILITY_RUNS is another number of runs.
 */
const runs = Number(process.env['RELIABILITY_RUNS'] ?? 3)
const asked = new Set(process.argv.slice(2).map(Number))
const chosen = scenarios.filter(({ checks }) => asked.size === 0 || checks.some((check) => asked.has(check)))
const postgres = await startPostgresServer({ durable: true })
try {
  for (const server of [null, postgres]) {
    for (const scenario of chosen) {
      if (scenario.needsServer !== true || server !== null) await tryScenario(scenario, server)
    }
  }
} finally {
  await postgres.stop()
}

async function tryScenario(scenario: Scenario, server: PostgresServer | null): Promise<void> {
  const verdicts: Verdict[][] = []
  for (let run = 1; run <= runs; run++) verdicts.push([...(await tryOnce(scenario, server, run))])
  for (const check of scenario.checks) {
    const ofRuns = verdicts.map((run) => run.filter((verdict) => verdict.check === check))
    const held = ofRuns.filter((run) => run.length > 0 && run.every(({ isHeld }) => isHeld)).length
    const told = ofRuns.flat().toSorted((a, b) => Number(a.isHeld) - Number(b.isHeld))
    const figures = [...new Set(told.map(({ figure }) => figure))].filter((figure) => figure !== '')
    const database = server === null ? 'SQLite' : 'PostgreSQL'
    process.stdout.write(
      `| ${check} ${checkNames.get(check)} | ${database} | ${held} of ${runs} | ${figures.join('; ')} |\n`,
    )
    if (held < runs) process.exitCode = 1
  }
}

async function tryOnce(
  scenario: Scenario,
  server: PostgresServer | null,
  run: number,
): Promise<readonly Verdict[]> {
  const subject = await createSubject(run, scenario, server)
  try {
    return await scenario.run(subject)
  } catch (error) {
    const figure = error instanceof Error ? error.message : String(error)
    return scenario.checks.map((check) => ({ check, isHeld: false, figure }))
  } finally {
    await subject.close()
  }
}
