import { useSearch } from '@tanstack/react-router'

/**
 * The protocol whose records the page shows, as its URL says. Without one an id means the record of the first protocol
 * by name that has it.
 */
export function useProtocol(): string | undefined {
  return useSearch({ strict: false }).protocol
}
