import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

/** A frame of a `.cpuprofile`, as far as it is read here. */
export interface ProfileNode {
  readonly id: number
  readonly callFrame: { readonly functionName: string; readonly url: string }
  readonly children?: readonly number[]
}

export interface CpuProfile {
  readonly nodes: readonly ProfileNode[]
  readonly samples: readonly number[]
}

/** The profiles in a folder, in the order of their names. */
export function readProfiles(folder: string): readonly CpuProfile[] {
  return (
    readdirSync(folder)
      .filter((name) => name.endsWith('.cpuprofile'))
      .sort()
      // `node --cpu-prof` wrote the file.
      .map((name) => JSON.parse(readFileSync(join(folder, name), 'utf8')) as CpuProfile)
  )
}

/** Whether the profile is of the limit server. */
export function isOfBareServer({ nodes }: CpuProfile): boolean {
  return nodes.some(({ callFrame }) => callFrame.url.endsWith('/bareServer.ts'))
}

/**
 * The frames of each sample, the innermost first, without idle samples. The first samples, of the start of the server
 * and its warm-up, are left out. Samples are counted, not their times: that of a thread which was preempted is as long
 * as the preemption.
 */
export function stacksOf({ nodes, samples }: CpuProfile): readonly (readonly ProfileNode[])[] {
  const byId = new Map(nodes.map((node) => [node.id, node]))
  const parents = new Map(
    nodes.flatMap((node) => (node.children ?? []).map((child) => [child, node] as const)),
  )
  const stackOf = (id: number): readonly ProfileNode[] => {
    const stack: ProfileNode[] = []
    for (let node = byId.get(id); node !== undefined; node = parents.get(node.id)) stack.push(node)
    return stack
  }
  return samples
    .slice(Math.floor(samples.length * warmUpShare))
    .map(stackOf)
    .filter(([innermost]) => innermost?.callFrame.functionName !== '(idle)')
}

const warmUpShare = 0.4
