import { wings as wingsOfProgram } from '@attestry/attestry/wings.ts'
import type { Wing } from '@attestry/server/wing.ts'
import { stampWing } from './stampWing.ts'

/** The program with one wing more. */
export const wings: readonly Wing[] = [...wingsOfProgram, stampWing]

export const { url } = import.meta
