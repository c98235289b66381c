export const ASIDE: RegExp
export function isCurrent(root: string): boolean
export function asideName(): string
export function removeLeftOvers(root: string): void
export function takePlace(root: string, name: string): void
