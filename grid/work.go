package grid

import (
	"sync"

	"issuegrid/account"
)

// DefaultBudget is the work budget of a page, in documents; see Request.Budget.
const DefaultBudget = 2000

// keysPerDocument is how many keys of the index are worth one document: 4 KB of them are read for what one
// document costs, 0.5 RCU.
const keysPerDocument = 40

// work counts what reading a page took, against its budget. It is safe for concurrent use.
type work struct {
	account *account.Account // of the operation that the page is of

	mu     sync.Mutex
	budget int // in keys
	spent  int
	total  Work
}

// Work is what reading took.
type Work struct {
	// Queries of the index, and the keys that they read, those that were left out among them.
	Queries, Keys int
	// Documents that were asked for.
	Documents int
	// RCU of the Queries.
	RCU float64
}

// budgetKeys is a request's budget of documents, in keys.
func budgetKeys(documents int) int {
	if documents <= 0 {
		documents = DefaultBudget
	}
	return documents * keysPerDocument
}

func newWork(documents int, a *account.Account) *work {
	return &work{account: a, budget: budgetKeys(documents)}
}

func (w *work) queried(keys int, rcu float64) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.total.Queries++
	w.total.Keys += keys
	w.total.RCU += rcu
	w.spent += max(keys, keysPerDocument) // a request costs 0.5 RCU at the least
}

// probed counts a Query that does not count towards the budget, which is for getting on.
func (w *work) probed(keys int, rcu float64) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.total.Queries++
	w.total.Keys += keys
	w.total.RCU += rcu
}

func (w *work) fetched(documents int) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.total.Documents += documents
	w.spent += documents * keysPerDocument
}

// over reports whether the budget is spent, or the operation's CPU time for reading.
func (w *work) over() bool { return w.left() <= 0 || w.account.ReadingOver() }

// end spends what is left of the budget.
func (w *work) end() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.spent = max(w.spent, w.budget)
}

// left is what is left of the budget, in keys.
func (w *work) left() int {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.budget - w.spent
}
