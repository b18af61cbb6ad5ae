import { runSimulation, type SimulationFigures, type SimulationOptions } from './runSimulation.ts'

/**
 * Runs a seed and throws, with the problems and the command that repeats the run, where the index did not come out as
 * it must.
 */
export async function expectSimulation(
  seed: number,
  { tellsStory = false, ...options }: SimulationOptions & { readonly tellsStory?: boolean } = {},
): Promise<SimulationFigures> {
  const again =
    options.actions === undefined
      ? `SIMULATION_SEED=${seed} npx vitest run --project whole test/simulation/simulation.test.ts`
      : `SIMULATION_SEED=${seed} SIMULATION_ACTIONS=${options.actions} npx vitest run --project soak test/simulation`
  let result
  try {
    result = await runSimulation(seed, options)
  } catch (error) {
    throw new Error(`seed ${seed} broke the simulation itself; repeat it with\n  ${again}`, { cause: error })
  }
  if (tellsStory) process.stdout.write(`${result.story.join('\n')}\n${JSON.stringify(result.figures)}\n`)
  if (result.problems.length > 0) {
    throw new Error(`seed ${seed}: ${result.problems.join('\n  ')}\nrepeat it with\n  ${again}`)
  }
  return result.figures
}
