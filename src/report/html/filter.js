// The only script of the page: it shows the filter and makes it work. Without it everything can be read.
{
  const filter = document.querySelector('#filter')
  const boxes = [...filter.querySelectorAll('input[type=checkbox]')]
  const words = document.querySelector('#filter-text')
  const status = document.querySelector('#filter-status')
  const unfold = document.querySelector('#unfold')
  const specs = [...document.querySelectorAll('details.spec')].map(element => ({
    element,
    text: `${element.querySelector('summary').textContent} ${element.querySelector('.about').textContent}`.toLowerCase(),
  }))

  const apply = () => {
    const outcomes = new Set(boxes.filter(({ checked }) => checked).map(({ value }) => value))
    const parts = words.value.toLowerCase().split(/\s+/).filter(Boolean)
    let shown = 0
    for (const { element, text } of specs) {
      element.hidden = !outcomes.has(element.dataset.outcome) || !parts.every(part => text.includes(part))
      if (!element.hidden) shown++
    }
    for (const area of document.querySelectorAll('.area'))
      area.hidden = !area.querySelector('details.spec:not([hidden])')
    status.textContent = shown === specs.length ? `${shown} specs` : `${shown} of ${specs.length} specs`
  }

  /** A link to a spec that the filter hides is followed all the same. */
  const reveal = () => {
    const target = document.getElementById(location.hash.slice(1))
    const spec = target?.closest('details.spec')
    if (!spec) return
    if (spec.hidden) {
      for (const box of boxes) box.checked = true
      words.value = ''
      apply()
    }
    spec.open = true
    spec.querySelector('summary').focus({ preventScroll: true })
    spec.scrollIntoView()
  }

  filter.hidden = false
  filter.addEventListener('input', apply)
  unfold.addEventListener('click', () => {
    const open = specs.some(({ element }) => !element.hidden && !element.open)
    for (const { element } of specs) if (!element.hidden) element.open = open
    unfold.textContent = open ? 'Fold all' : 'Unfold all'
  })
  addEventListener('hashchange', reveal)
  apply()
  reveal()
}
