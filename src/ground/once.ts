/** Makes each thing once. Two keys with the same JSON text are the same. */
export function once<K, T>(make: (key: K) => T): (key: K) => T {
  const made = new Map<string, T>()
  return key => {
    const text = JSON.stringify(key)
    const found = made.get(text) ?? make(key)
    made.set(text, found)
    return found
  }
}
