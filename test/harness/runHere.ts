import { vi } from 'vitest'
import type { Composition } from '@attestry/attestry/composition.ts'
import * as program from '@attestry/attestry/wings.ts'
import { runCli } from '@attestry/attestry/runCli.ts'

/** Output and exit code of a command. */
export interface RanCommand {
  readonly code: number
  readonly stdout: string
  readonly stderr: string
}

/**
 * Runs a command that ends at once in this process, as `main.ts` does in one of its own, which would take a second of
 * processor time. One at a time: the folder and the standard streams are those of the process.
 */
export async function runHere(
  args: readonly string[],
  folder: string,
  environment: Readonly<Record<string, string>> = {},
  composition: Composition = program,
): Promise<RanCommand> {
  const written = { stdout: '', stderr: '' }
  const spies = (['stdout', 'stderr'] as const).map((stream) =>
    vi.spyOn(process[stream], 'write').mockImplementation((text, ...rest) => {
      written[stream] += String(text)
      const done = rest.at(-1)
      if (typeof done === 'function') process.nextTick(done)
      return true
    }),
  )
  const before = process.cwd()
  process.chdir(folder)
  try {
    return { code: await runCli(args, environment, composition), ...written }
  } finally {
    process.chdir(before)
    for (const spy of spies) spy.mockRestore()
  }
}
