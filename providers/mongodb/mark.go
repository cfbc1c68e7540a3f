package mongodb

import (
	"context"
	"errors"

	"go.mongodb.org/mongo-driver/v2/bson"
	"go.mongodb.org/mongo-driver/v2/mongo"

	"github.com/orkestra-runtime/orkestra/providers/declared"
)

// own is the database in which the owners stand.
const own = "orkestra"

// document is who owns a thing. Its key is what the thing is and its name.
type document struct {
	ID    string `bson:"_id"`
	Owner string `bson:"owner"`
}

func (s *server) marks() *mongo.Collection { return s.Database(own).Collection("owners") }

// mark reads the owner of a thing, which is empty where nobody is.
func (s *server) mark(ctx context.Context, id string) (string, error) {
	var found document
	err := s.marks().FindOne(ctx, bson.D{{Key: "_id", Value: id}}).Decode(&found)
	if errors.Is(err, mongo.ErrNoDocuments) {
		return "", nil
	}
	return found.Owner, err
}

// claim notes the owner of a thing before it is made, or where it is taken over. There tells whether it is there.
func (s *server) claim(ctx context.Context, t *declared.Thing, what, id string, there bool) error {
	owner, err := s.mark(ctx, id)
	if err != nil {
		return err
	}
	if there || owner != "" {
		if claim, err := t.Claim(what, owner); err != nil || !claim {
			return err
		}
	}
	_, err = s.marks().InsertOne(ctx, document{ID: id, Owner: t.Mark()})
	if mongo.IsDuplicateKeyError(err) {
		// Another resource was faster.
		if owner, err = s.mark(ctx, id); err == nil {
			_, err = t.Claim(what, owner)
		}
	}
	return err
}

// release takes the mark off.
func (s *server) release(ctx context.Context, t *declared.Thing, id string) error {
	_, err := s.marks().DeleteOne(ctx, bson.D{{Key: "_id", Value: id}, {Key: "owner", Value: t.Mark()}})
	return err
}
