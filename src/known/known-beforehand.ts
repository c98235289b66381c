/** What the user knows of a Core beforehand. */
export interface KnownBeforehand {
  /** The files of the facts that are to stay. */
  pins?: string
  /** The file of the failures that are known. */
  baseline?: string
  /** The firmware, which tells what of a baseline is for it. */
  firmware?: string
}
