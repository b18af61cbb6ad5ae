import { communitySchemas } from './communitySchemas.ts'
import type { DemoSchema } from './demoSchema.ts'
import { identitySchemas } from './identitySchemas.ts'
import { tradeSchemas } from './tradeSchemas.ts'

/** All schemas of the demo. The order mixes the domains, so that the first few are already varied. */
export const demoSchemas: readonly DemoSchema[] = interleave([
  identitySchemas,
  communitySchemas,
  tradeSchemas,
])

function interleave<T>(lists: readonly (readonly T[])[]): readonly T[] {
  const longest = Math.max(...lists.map((list) => list.length))
  return Array.from({ length: longest }, (_, index) =>
    lists.flatMap((list) => list.slice(index, index + 1)),
  ).flat()
}
