// The only script of the page of a fleet. It shows the filter and makes it work. The page is readable without the script.
{
  const filter = document.querySelector('#filter')
  const boxes = [...filter.querySelectorAll('input[type=checkbox]')]
  const words = document.querySelector('#filter-text')
  const status = document.querySelector('#filter-status')
  const rows = [...document.querySelectorAll('tr.core')]
  const groups = [...document.querySelectorAll('table.cores tbody')]

  const apply = () => {
    const verdicts = new Set(boxes.filter(({ checked }) => checked).map(({ value }) => value))
    const parts = words.value.toLowerCase().split(/\s+/).filter(Boolean)
    let shown = 0
    for (const row of rows) {
      const { verdict, words: text } = row.dataset
      row.hidden = !verdicts.has(verdict) || !parts.every(part => text.includes(part))
      if (!row.hidden) shown++
    }
    for (const group of groups) {
      const name = group.querySelector('tr.section')
      if (name) name.hidden = !group.querySelector('tr.core:not([hidden])')
    }
    const all = rows.length === 1 ? '1 Core' : `${rows.length} Cores`
    status.textContent = shown === rows.length ? all : `${shown} of ${all}`
  }

  filter.hidden = false
  filter.addEventListener('input', apply)
  apply()
}
